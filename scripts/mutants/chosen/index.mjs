/** Chosen mutants: each must be noticed by the tests that it names. */
import { cells } from './cells.mjs';
import { derived } from './derived.mjs';
import { keys } from './keys.mjs';
import { live } from './live.mjs';
import { local } from './local.mjs';
import { queries } from './queries.mjs';
import { server } from './server.mjs';
import { tools } from './tools.mjs';
import { transfer } from './transfer.mjs';
import { writes } from './writes.mjs';

/** @type {readonly import('../select.mjs').Chosen[]} */
export const chosen = [
  ...keys,
  ...cells,
  ...queries,
  ...writes,
  ...local,
  ...live,
  ...derived,
  ...transfer,
  ...tools,
  ...server,
];
