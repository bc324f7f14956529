/** A parsed Stripe form: `a[b][0][c]=d` is `{a: {b: [{c: 'd'}]}}`. */
export interface Form {
  readonly [name: string]: FormValue | undefined;
}
export type FormValue = string | readonly FormValue[] | Form;

interface Branch {
  [name: string]: string | Branch;
}

export const parseForm = (text: string): Form => {
  const root: Branch = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[');
    const last = path.pop() ?? '';
    let at = root;
    for (const step of path) {
      const next = (at[step] ??= {});
      if (typeof next === 'string') throw new Error(`${name} goes through a text`);
      at = next;
    }
    at[last] = value;
  }
  return Object.fromEntries(Object.entries(root).map(([name, value]) => [name, grown(value)]));
};

const grown = (branch: string | Branch): FormValue => {
  if (typeof branch === 'string') return branch;
  const entries = Object.entries(branch).map(([name, value]) => [name, grown(value)] as const);
  const isList = entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name));
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
};

export const textAt = (form: FormValue | undefined, ...path: readonly (string | number)[]): string | undefined => {
  const found = at(form, path);
  return typeof found === 'string' ? found : undefined;
};

export const listAt = (form: FormValue | undefined, ...path: readonly (string | number)[]): readonly FormValue[] => {
  const found = at(form, path);
  return isList(found) ? found : [];
};

/** The texts of an object, such as `metadata`. */
export const textsAt = (form: FormValue | undefined, ...path: readonly (string | number)[]): Record<string, string> => {
  const found = at(form, path);
  if (found === undefined || typeof found === 'string' || isList(found)) return {};
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
};

const isList = (value: FormValue | undefined): value is readonly FormValue[] => Array.isArray(value);

const at = (form: FormValue | undefined, path: readonly (string | number)[]): FormValue | undefined =>
  path.reduce<FormValue | undefined>((value, step) => {
    if (value === undefined || typeof value === 'string') return undefined;
    return isList(value) ? value[Number(step)] : value[step];
  }, form);
