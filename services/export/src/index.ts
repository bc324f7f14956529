export { fileSql } from './files/file-sql.js';
