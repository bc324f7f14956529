export { fileQuery } from './files/file-query.js';
