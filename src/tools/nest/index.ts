/** Entry point `rowsmith/nest`. */
export { RowsmithFilter } from './filter.js';
export { RowsmithHealth } from './health.js';
export { InjectRepository, RowsmithModule } from './module.js';
