/**
 * The seed of everything random in tests: always the same, unless SEED is set to a number or `new`.
 */
const variable = process.env.SEED ?? '1';

/** 0 <= seed < 2^31. */
export const seed = variable === 'new' ? Math.floor(Math.random() * 2 ** 31) : Number(variable);
if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 31)
  throw new Error(`SEED=${variable} is neither "new" nor a whole number from 0 to 2147483647.`);
if (variable === 'new') process.stderr.write(`SEED=${seed}\n`);
