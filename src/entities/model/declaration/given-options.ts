/** Options as JavaScript may give them. buildModel reports options that are not objects. */

/** The options that were given; none if they are not an object. */
export function givenOptions<T extends object>(given: T | undefined): Partial<T> {
  return isOptions(given) ? given : {};
}

/** Whether a value can hold options: an object that is neither an array nor a function. */
export function isOptions(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
