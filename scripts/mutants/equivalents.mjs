/** Drawn mutants that change nothing that a user can observe, with the reason. They are not drawn. */

/** @type {readonly import('./select.mjs').Equivalent[]} */
export const equivalents = [];
