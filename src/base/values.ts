/** Values by property, with types that are not known. */
export type Values = Readonly<Record<string, unknown>>;
