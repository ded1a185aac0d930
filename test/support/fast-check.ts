/**
 * fast-check, with the seed of this run. A law draws the same cases each time, so that a red run
 * speaks of the change and not of the draw; new ones are for searching: `SEED=new npx jest
 * test/key` takes a seed nobody took before, `SEED=n` that one. A law that fails prints its seed.
 */
import fc from 'fast-check';
import { seed } from './seed.js';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

export default fc;
