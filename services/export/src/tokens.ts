export const CREATE = Symbol('how an export is created');
export const LIST = Symbol('the list of exports');
export const LINKS = Symbol('links to ready exports');
