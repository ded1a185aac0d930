/**
 * fast-check with the seed of this run. A property is checked with the same cases in every run, so
 * that a failure is caused by a change and not by chance. To search for new failures: `SEED=new npx
 * jest test/data/key` uses a new seed, `SEED=n` that one. A failing property prints its seed.
 */
import fc from 'fast-check';
import { seed } from './seed.js';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

export default fc;
