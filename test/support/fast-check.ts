/**
 * fast-check with the seed of this run. A property is checked with the same cases in every run, so
 * that a failure is caused by a change and not by chance. To search for new failures: `SEED=new npx
 * jest test/data/key` uses a new seed, `SEED=n` that one. A failing property prints its seed.
 */
import fc from 'fast-check';
import { seed } from './seed.js';

/** Halves of characters, which are no characters. */
const surrogates = { first: 0xd800, count: 0x800 };

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

/**
 * Any character of Unicode: the unit `binary` of fast-check, which takes a second of processor time
 * in each test file, because it lists all characters.
 */
export const anyCharacter = fc
  .nat({ max: 0x10ffff - surrogates.count })
  .map((at) => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count));

export default fc;
