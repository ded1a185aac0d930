/** All files of a database directory; see FORMAT.md. Any other file makes it no database. */

/** The marker: the format, its version and the identity of the database. */
export const markerName = 'rowsmith.json';
/** Space that is kept free for merges on a full disk. */
export const reserveName = 'reserve';

/** Which owner has created a file, and the number that the owner gave it; both from 1. */
export interface FileId {
  readonly owner: number;
  readonly number: number;
}

/** Largest number of an owner or a file. */
export const maxFileNumber = 999_999_999_999_999;

const number = '[1-9]\\d{0,14}';
const ownerPattern = new RegExp(`^owner\\.(${number})$`);
const newOwnerPattern = /^owner\.new\.[\w-]+$/;
const dataPattern = new RegExp(`^(manifest|log|table)\\.(${number})-(${number})$`);
const unfinishedPattern = new RegExp(
  `^(?:rowsmith\\.json|(?:manifest|log)\\.${number}-${number})\\.new$`,
);

/** The owner file with this number. The highest one names the process that holds the directory. */
export function ownerName(owner: number): string {
  return `owner.${owner}`;
}

/** Number of an owner file; undefined for other files. */
export function ownerNumber(name: string): number | undefined {
  const digits = ownerPattern.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** An owner file while it is written. */
export function newOwnerName(token: string): string {
  return `owner.new.${token}`;
}

/** True for owner files that are being written, or that a killed process has left. */
export function isNewOwner(name: string): boolean {
  return newOwnerPattern.test(name);
}

/** A segment of the write log. */
export function logName({ owner, number }: FileId): string {
  return `log.${owner}-${number}`;
}

/** A file of sorted pairs. */
export function tableName({ owner, number }: FileId): string {
  return `table.${owner}-${number}`;
}

/** A list of the files that are the database. */
export function manifestFile({ owner, number }: FileId): string {
  return `manifest.${owner}-${number}`;
}

/** The name under which a marker, a manifest or a segment of the log is written. */
export function unfinishedName(name: string): string {
  return `${name}.new`;
}

/** The segment with this name; undefined for other files. */
export function parseLogName(name: string): FileId | undefined {
  return parseDataName('log', name);
}

/** The manifest with this name; undefined for other files. */
export function parseManifestName(name: string): FileId | undefined {
  return parseDataName('manifest', name);
}

/** The order in which files were begun. */
export function compareFileIds(a: FileId, b: FileId): number {
  return a.owner - b.owner || a.number - b.number;
}

/** True for files that hold data, which are written after the marker. */
export function isDataFile(name: string): boolean {
  return dataPattern.test(name);
}

/** True for files that are being written, or that a killed process has left. */
export function isUnfinished(name: string): boolean {
  return unfinishedPattern.test(name);
}

/** The owner that has created a file with data, also if it is unfinished. */
export function creatorOf(name: string): number | undefined {
  const owner = dataPattern.exec(name.replace(/\.new$/, ''))?.[2];
  return owner === undefined ? undefined : Number(owner);
}

/** True for files that a database directory may contain. */
export function isKnownName(name: string): boolean {
  return (
    name === markerName ||
    name === reserveName ||
    ownerPattern.test(name) ||
    newOwnerPattern.test(name) ||
    dataPattern.test(name) ||
    unfinishedPattern.test(name)
  );
}

function parseDataName(kind: string, name: string): FileId | undefined {
  const match = dataPattern.exec(name);
  if (match?.[1] !== kind) return undefined;
  return { owner: Number(match[2]), number: Number(match[3]) };
}
