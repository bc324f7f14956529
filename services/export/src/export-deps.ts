export const EXPORT_DEPS = Symbol('export dependencies');
export const LIST_DEPS = Symbol('list dependencies');
export const LINKS = Symbol('links to ready exports');
