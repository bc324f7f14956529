import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const introduction = `<!-- Made by \`npm run docs:make\` from the sources of clients/typescript; do not edit. -->

# Reference of the TypeScript client

Every call also takes \`options\`: \`signal\`, \`timeoutMs\`, \`deadlineMs\` and \`maxRetries\`. \`Pages\` is an async iterable of all items, with \`pages()\`,
\`firstPage()\` and \`toArray()\`. The fields of answers are those of the [OpenAPI document](../../docs/openapi.json), and are typed.
`;

/** The methods of the client as Markdown, from its sources. Throws if one has no description. */
export const clientReference = (folder: URL): string => {
  const { program, checker } = programOf(folder);
  const entry = program.getSourceFile(fileURLToPath(new URL('src/node/index.ts', folder)));
  const module = entry && checker.getSymbolAtLocation(entry);
  const client = module && checker.getExportsOfModule(module).find(({ name }) => name === 'Almanac');
  if (client === undefined) throw new Error('The client does not export Almanac.');
  const parts = checker
    .getDeclaredTypeOfSymbol(checker.getAliasedSymbol(client))
    .getProperties()
    .filter((property) => !isInternal(property))
    .map((property) => ({ name: property.name, methods: methodsOf(checker, property) }));
  const sections = parts.map(({ name, methods }) => `## ${name}\n\n${methods.join('\n\n')}`);
  return `${introduction}\n${sections.join('\n\n')}\n`;
};

const programOf = (folder: URL): { program: ts.Program; checker: ts.TypeChecker } => {
  const path = fileURLToPath(new URL('tsconfig.json', folder));
  const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name)) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(path));
  const program = ts.createProgram([fileURLToPath(new URL('src/node/index.ts', folder))], { ...options, noEmit: true });
  return { program, checker: program.getTypeChecker() };
};

const internal = ts.ModifierFlags.Protected | ts.ModifierFlags.Private;
const isInternal = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((one) => (ts.getCombinedModifierFlags(one) & internal) !== 0);

/** A property of the client is a method, or has methods. */
const methodsOf = (checker: ts.TypeChecker, property: ts.Symbol): string[] => {
  const type = checker.getTypeOfSymbol(property);
  const [own] = type.getCallSignatures();
  if (own !== undefined) return [methodText(checker, property.name, { symbol: property, signature: own })];
  return type.getProperties().map((symbol) => {
    const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures();
    const name = `${property.name}.${symbol.name}`;
    if (signature === undefined) throw new Error(`${name} is no method.`);
    return methodText(checker, name, { symbol, signature });
  });
};

const methodText = (
  checker: ts.TypeChecker,
  name: string,
  { symbol, signature }: { readonly symbol: ts.Symbol; readonly signature: ts.Signature },
): string => {
  const description = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
  if (description === '') throw new Error(`${name} of the client has no description.`);
  const parameters = signature.getParameters().filter((parameter) => parameter.name !== 'options');
  const given = parameters.map((parameter) => `${parameter.name}${isOptional(checker, parameter) ? '?' : ''}`);
  const fields = parameters.flatMap((parameter) => fieldLines(checker, parameter));
  return [
    `### \`${name}(${given.join(', ')})\``,
    description,
    ...(fields.length > 0 ? [fields.join('\n')] : []),
    `Returns \`${returnedText(checker, signature)}\`.`,
  ].join('\n\n');
};

/** As it is written, with the names of types. */
const returnedText = (checker: ts.TypeChecker, signature: ts.Signature): string =>
  signature.getDeclaration().type?.getText() ?? typeText(checker, signature.getReturnType());

const isOptional = (checker: ts.TypeChecker, { valueDeclaration }: ts.Symbol): boolean =>
  valueDeclaration !== undefined && ts.isParameter(valueDeclaration) && checker.isOptionalParameter(valueDeclaration);

/** Of a parameter that is an object: its fields, with their types. */
const fieldLines = (checker: ts.TypeChecker, parameter: ts.Symbol): string[] => {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
  const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
  if (!isObject) return [`- \`${parameter.name}\`: \`${typeText(checker, type)}\``];
  return type.getProperties().map((field) => {
    const isMissable = (field.flags & ts.SymbolFlags.Optional) !== 0;
    const text = typeText(checker, checker.getNonNullableType(checker.getTypeOfSymbol(field)));
    return `- \`${parameter.name}.${field.name}${isMissable ? '?' : ''}\`: \`${text}\``;
  });
};

const typeText = (checker: ts.TypeChecker, type: ts.Type): string =>
  checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
