/** Entities of an existing table, guessed from a sample of its rows. */
export { pullEntities, type GeneratedModule } from './pull.js';
export { splitKeySpace } from './sample-table.js';
