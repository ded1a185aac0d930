/** All files of a database directory; see FORMAT.md. Any other file makes it no database. */
import { copyPath } from './compact-file.js';

/** The marker: the format and its version. */
export const markerName = 'rowsmith.json';
/** The lmdb file. */
export const dataName = 'data.mdb';

const copyName = copyPath(dataName);
const fixedNames: ReadonlySet<string> = new Set([
  markerName,
  `${markerName}.new`,
  dataName,
  `${dataName}-lock`,
  copyName,
  `${copyName}-lock`,
]);
const ownerPattern = /^owner\.(\d{1,15})$/;
const newOwnerPattern = /^owner\.new\.[\w-]+$/;
const logPattern = /^log\.(\d{1,15})$/;
const newLogPattern = /^log\.\d{1,15}\.new$/;

/** The owner file with this number. The highest one names the process that holds the directory. */
export function ownerName(number: number): string {
  return `owner.${number}`;
}

/** Number of an owner file; undefined for other files. */
export function ownerNumber(name: string): number | undefined {
  return numberOf(ownerPattern, name);
}

/** An owner file while it is written. */
export function newOwnerName(token: string): string {
  return `owner.new.${token}`;
}

/** True for owner files that are being written, or that a killed process has left. */
export function isNewOwner(name: string): boolean {
  return newOwnerPattern.test(name);
}

/** The segment of the write log with this number. */
export function logName(number: number): string {
  return `log.${number}`;
}

/** Number of a segment of the write log; undefined for other files. */
export function logNumber(name: string): number | undefined {
  return numberOf(logPattern, name);
}

/** A segment while its header is written. */
export function newLogName(number: number): string {
  return `${logName(number)}.new`;
}

/** True for segments that are being created, or that a killed process has left. */
export function isNewLog(name: string): boolean {
  return newLogPattern.test(name);
}

/** True for files that hold data, which are written after the marker. */
export function isDataFile(name: string): boolean {
  return name.startsWith(dataName) || logPattern.test(name);
}

/** True for files that a database directory may contain. */
export function isKnownName(name: string): boolean {
  return (
    fixedNames.has(name) ||
    ownerPattern.test(name) ||
    newOwnerPattern.test(name) ||
    logPattern.test(name) ||
    newLogPattern.test(name)
  );
}

function numberOf(pattern: RegExp, name: string): number | undefined {
  const digits = pattern.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
