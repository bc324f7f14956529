export const CREATE = Symbol('how an export is created');
export const LINKS = Symbol('links to ready exports');
