/** Chosen mutants: each must be noticed by the tests that it names. */

/** @type {readonly import('../select.mjs').Chosen[]} */
export const chosen = [];
