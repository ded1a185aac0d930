/**
 * Where everything random in a test begins: always at the same number, unless SEED says another
 * one, or `new`.
 */
const asked = process.env.SEED ?? '1';

/** 0 <= seed < 2^31. */
export const seed = asked === 'new' ? Math.floor(Math.random() * 2 ** 31) : Number(asked);
if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 31)
  throw new Error(`SEED=${asked} is neither "new" nor a whole number from 0 to 2147483647.`);
if (asked === 'new') process.stderr.write(`SEED=${seed}\n`);
