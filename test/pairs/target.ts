/** Whether storage collects the entries of rows that have expired. */
export const entriesExpire = true;
