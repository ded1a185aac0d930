/**
 * The sentences of errors in generated code, which differ between languages in the names of types
 * only. TypeScript throws the same sentences: tests compare them. `{name}` is filled in on error.
 */
import { errorMessages, type ErrorCode } from '../../../base/index.js';

/** How a language names the types of values. */
export interface Vocabulary {
  /** A time: `datetime`. */
  readonly time: string;
  /** An integer of any size: `int`. */
  readonly integer: string;
  readonly bytes: string;
  /** A calendar day: `date`. */
  readonly day: string;
  /** A map from keys to values: `dict`. */
  readonly map: string;
  /** What a nullable segment without a value holds: `None`. */
  readonly none: string;
  readonly booleans: string;
  /** Decimal numbers: `a Decimal`. */
  readonly decimal: string;
  /** An example of a decimal, with `{example}` for its digits. */
  readonly decimalExample: string;
  /** The longest text of a list of versions: `a list of Version`. */
  readonly versions: string;
}

/** A sentence for what is wrong, and one for how to fix it. */
export type Words = readonly [problem: string, fix: string];

/** The codes that generated code throws. */
const codes: readonly ErrorCode[] = [
  'DAMAGED_CELL',
  'EMPTY_ROW',
  'FOREIGN_KEY',
  'INCOMPLETE_ROW',
  'INVALID_ARGUMENT',
  'INVALID_KEY',
  'INVALID_QUERY',
  'INVALID_VALUE',
  'OUTSIDE_SCOPE',
  'UNSUPPORTED',
  'VALIDATION_FAILED',
];

/** The constant messages of the codes that generated code throws. */
export const messagesOfCodes: Readonly<Record<string, string>> = Object.fromEntries(
  codes.map((code) => [code, errorMessages[code]]),
);

/** All sentences in the words of a language, by the name under which generated code has them. */
export function wordsIn(vocabulary: Vocabulary): Readonly<Record<string, Words>> {
  return {
    ...keyWords(vocabulary),
    ...foreignWords(),
    ...queryWords(),
    ...valueWords(vocabulary),
    ...cellWords(vocabulary),
    ...mapWords(vocabulary),
    ...ruleWords(vocabulary),
    ...ownWords(vocabulary),
  };
}

function keyWords(v: Vocabulary): Record<string, Words> {
  return {
    missing: ['the segment is missing', 'pass a value for every segment'],
    nullValue: [
      `the value is ${v.none} and the segment is not nullable`,
      'pass a value, or declare the segment nullable: true',
    ],
    emptyKey: ['the key is empty', 'give the segment a value: row keys have at least one byte'],
    keyTooLong: [
      'the key has {length} bytes and row keys have at most 4096',
      'pass shorter values',
    ],
    keyLength: ['the key has {length} bytes', 'pass values that make a key of 1 to 4096 bytes'],
    notASafeInteger: [
      'the value is not a safe integer',
      `pass a whole number of at most 2^53 - 1, or declare the segment bigint`,
    ],
    notABigint: [`the value is not ${v.integer}`, `pass ${v.integer}, such as 42`],
    tooManyDigits: ['the value has more than 99 digits', 'pass a smaller number'],
    notADecimal: [
      `the value is not ${v.decimal} with at most {scale} digits after the point`,
      `pass ${v.decimalExample}`,
    ],
    tooManyDecimalDigits: [
      'the value has more than 1,000 digits before the point',
      'pass a number with fewer digits',
    ],
    notABoolean: ['the value is not a boolean', `pass ${v.booleans}`],
    notAMember: ['the value is not a member of the enum', 'pass one of {members}'],
    notANumber: ['the value is not a number, or is NaN', 'pass a number that is not NaN'],
    outOfRange: ['{integer} is outside the range {min} to {max}', '{fix}'],
    numberRange: ['', 'pass a number inside the range, or declare a greater width'],
    bigintRange: ['', `pass ${v.integer} inside the range`],
    decimalRange: ['', 'pass a smaller number, or declare a greater width'],
    boolRange: ['', `pass ${v.booleans}`],
    enumRange: ['', 'pass a declared member'],
    timeRange: ['', 'pass a time inside the range, or store it in a column'],
    notADate: [`the value is not ${v.time}`, `pass ${v.time}`],
    notWholeSeconds: [
      `${v.time} has milliseconds and the segment stores whole seconds`,
      'declare the segment with floor: 1000, or pass whole seconds',
    ],
    yearOutOfRange: [`${v.time} is outside the years 0000 to 9999`, '{fix}'],
    year: ['', 'pass a time with a year of four digits'],
    isoYear: ['', 'pass a time with a year of four digits, or use timestamp'],
    notAString: ['the value is not a string', 'pass a string'],
    textLongerThanKey: [
      'the text alone is longer than the 4,096 bytes of a row key',
      'pass shorter text',
    ],
    textTooLong: [
      'the text is longer than {max} UTF-16 units',
      'pass shorter text, or declare a greater maxLength',
    ],
    loneSurrogate: [
      'the text contains a lone surrogate, which UTF-8 cannot encode',
      'pass well-formed text',
    ],
    notBytes: ['the value is not bytes', `pass ${v.bytes}`],
    bytesTooLong: [
      'the value is longer than {max} bytes',
      'pass fewer bytes, or declare a greater maxLength',
    ],
    notAUuid: ['the value is not a UUID', 'pass 36 characters with dashes, or 32 without'],
    notAUlid: [
      'the value is not a ULID',
      'pass 26 characters of Crockford base 32, the first at most 7',
    ],
    notADomainName: [
      'the value is not a domain name',
      'pass a name such as maps.google.com; for IP addresses, use a string segment',
    ],
    delimiterInValue: [
      'the value contains the delimiter {delimiter}',
      'change the value; the delimited format has no escapes',
    ],
  };
}

/** Why a key is not one of the entity. */
function foreignWords(): Record<string, Words> {
  return {
    foreignKey: ['{reason}', 'read these rows as the entity that they belong to'],
    foreignEmpty: ['The key is empty.', ''],
    foreignLong: ['The key has {length} bytes, more than 4096.', ''],
    foreignEnd: ['The key continues after its last part.', ''],
    foreignShard: ['The shard at the start is missing, or is not the hash of its segments.', ''],
    foreignLiteral: ["Part {position} of the key is not the literal '{text}'.", ''],
    foreignSegment: [
      "Part {position} of the key is not a value of segment '{segment}' ({encoding}).",
      '',
    ],
  };
}

function queryWords(): Record<string, Words> {
  return {
    unknownSegment: ["'{name}' is not a segment of the key", 'use {known}'],
    skippedSegment: [
      "segment '{name}' is missing, but a later segment has a value",
      "add '{name}'",
    ],
    misplacedBound: [
      "only the first segment that is not fixed can have a bound, not '{name}'",
      "bound '{next}', or fix the segments before '{name}'",
    ],
    removeBound: ['', 'remove the bound'],
    unordered: ['{reason}', 'fix the segment to one value, or filter after reading'],
    notAscendingString: [
      'startsWith needs an ascending string segment',
      'use between, or fix the segment',
    ],
    notADomainSegment: ['only domain segments have subdomains', "declare the segment as 'domain'"],
    outsideScope: [
      "the scope gives '{name}', and the call names another value, {given}",
      "give '{name}' the value of the scope, or call without the scope",
    ],
    noRange: ['no key can match these conditions', 'do not read if there is no range'],
  };
}

function valueWords(v: Vocabulary): Record<string, Words> {
  return {
    wrongString: ['expected a string, got {given}', 'give a string'],
    wrongBytes: [`expected ${v.bytes}, got {given}`, `give ${v.bytes}`],
    wrongBool: ['expected a boolean, got {given}', `give ${v.booleans}`],
    wrongInteger: ['expected a number for {kind}, got {given}', 'give a whole number'],
    wrongInt64: [`expected ${v.integer} for {kind}, got {given}`, `give ${v.integer}`],
    wrongNumber: ['expected a number for {kind}, got {given}', 'give a number'],
    wrongTime: [`expected ${v.time}, got {given}`, `give ${v.time}`],
    wrongDay: [`expected ${v.day}, got {given}`, `give ${v.day}`],
    wrongMessage: [
      'expected a message {name}, got {given}',
      'create it with the class of protobuf',
    ],
    nanosOutOfRange: [
      'a Timestamp has nanoseconds outside 0 to 999,999,999',
      'write it with nanoseconds in this range',
    ],
    timestampOutOfRange: [
      'a Timestamp is outside the years 0001 to 9999',
      'write a time in this range, or declare the field as int64',
    ],
    loneSurrogateInCell: [
      'the text contains a lone surrogate, which UTF-8 cannot encode',
      'remove it',
    ],
    cellRange: [
      '{given} is outside the range of {kind}, {min} to {max}',
      'declare the column as int64',
    ],
    int64Range: [
      '{given} is outside the range of int64, -2^63 to 2^63-1',
      'store larger numbers as string or bytes',
    ],
    floatRange: [
      '{given} is outside the range of float: the largest value is about 3.4e38',
      'declare the column as double',
    ],
  };
}

/** Cells that are damaged, or hold something else. */
function cellWords(v: Vocabulary): Record<string, Words> {
  return {
    cellLength: [
      'expected {expected} for {kind}, but the cell has {length}',
      'check that the column was written as {kind}',
    ],
    cellNotUtf8: ['the text is not valid UTF-8', 'check what else writes this column'],
    cellNotABool: [
      'a bool is 0x00 or 0x01, but the cell contains 0x{text}',
      'check that the column was written as bool',
    ],
    cellOutOfRange: [
      'the cell contains {number}, which is outside the range of {kind}',
      'declare the column as int64',
    ],
    cellMicroseconds: [
      `the cell has microsecond precision, which ${v.time} of Rowsmith does not represent`,
      'declare the column as int64 to read microseconds exactly',
    ],
    cellBeyondDates: [
      'the cell contains a timestamp outside the range of Date',
      'declare the column as int64 to read it',
    ],
    cellNotADay: [
      'the cell does not contain a calendar day',
      'check that the column was written as date (YYYY-MM-DD)',
    ],
    cellNotJson: ['the cell does not contain JSON', 'check that the column was written as json'],
    cellNotAMessage: [
      'the cell does not contain a message {name}: {error}',
      'check what else writes this column',
    ],
    unknownVersion: [
      'the value has version {stored}, but this program supports versions 1 to {current}',
      'generate this file from the declaration of the program that wrote the value',
    ],
    notJson: ['JSON cannot represent {given}', 'use only what JSON has'],
    jsonTooDeep: ['the value is nested too deep, or contains itself', 'store it flat'],
  };
}

function mapWords(v: Vocabulary): Record<string, Words> {
  return {
    notAMap: [`expected ${v.map} from qualifier to value, got {given}`, `give ${v.map}`],
    notVersions: [`expected ${v.versions}, got {given}`, `give ${v.versions}`],
    notAVersion: [
      'expected a version with a valid time since 1970 as `at`, got {given}',
      'give each version a time and a value',
    ],
    duplicateVersion: ['there are two versions at {at}', 'give each version a different timestamp'],
    keyNotAString: [
      'a key of a column map must be a string, not {given}',
      'convert the key to a string',
    ],
    loneSurrogateInKey: [
      'the key contains a lone surrogate, which UTF-8 cannot encode',
      'remove it',
    ],
    qualifierTooLong: [
      'the key has {length} bytes, but a qualifier has at most 16384',
      'use shorter keys',
    ],
    qualifierNotUtf8: [
      'the qualifier is not valid UTF-8',
      'read this family with @Column, where qualifiers are bytes',
    ],
    foreignQualifier: [
      'the qualifier is not a key of kind {kind}',
      'read this family with @Column, where qualifiers are bytes',
    ],
    intKey: ['', 'pass a whole number inside the range of the declaration'],
    uintKey: ['', 'pass a whole number inside the range of the declaration, zero or more'],
    bigintKey: ['', `pass ${v.integer} inside the range of the declaration`],
    timestampKey: ['', `pass ${v.time} since 1970 that is a whole number of the declared unit`],
    enumKey: ['', 'pass a declared member'],
  };
}

function ruleWords(v: Vocabulary): Record<string, Words> {
  return {
    required: ['it is required, and has no value', ''],
    notOneOf: ['{given} is not one of {members}', 'add it to oneOf, or correct the row'],
    emptyText: ['it is empty', ''],
    tooShort: ['its length is {length}, less than {min}', ''],
    tooLong: ['its length is {length}, more than {max}', ''],
    noMatch: ['{given} does not match {pattern}', ''],
    tooSmall: ['{given} is not at least {min}', ''],
    tooGreat: ['{given} is not at most {max}', ''],
    brokenRules: ['', 'correct the values; nothing was written'],
    wrongValues: ['', 'correct the values'],
    emptyRow: [
      'no column has a value',
      'set a column, or declare the entity with `marker: true` so that an empty cell marks its rows',
    ],
    incompleteRow: [
      'the row has no value of {names}, which {verb} required',
      'complete the row, or delete it',
    ],
    wrongCellTime: [
      'the property gives the timestamp of the cells (cellTimestamp), and is not a valid ' +
        `${v.time.replace(/^an? /, '')} since 1970`,
      `set {name} to ${v.time}`,
    ],
    wrongExpiry: [
      'it is the time at which the row expires (expiresAt), and it is {given}',
      `give each row ${v.time} from {first} on`,
    ],
    expiredRow: [
      'the newest cell of the row would have the timestamp {at}, and the rule {rule} of family ' +
        "'{family}' would collect it at once",
      'leave the row out, give it a newer timestamp, or declare a greater maxAge',
    ],
    notAnInt64: [
      `the amount is not an int64 ${v.integer.replace(/^an? /, '')}`,
      'give a whole number from -2^63 to 2^63-1',
    ],
  };
}

/** Sentences that TypeScript does not need, because its types differ. */
function ownWords(v: Vocabulary): Record<string, Words> {
  return {
    naiveTime: [`${v.time} has no time zone`, 'give it one: times are stored in UTC'],
    notWholeMillis: [
      `${v.time} has microseconds, and Rowsmith stores whole milliseconds`,
      'round it, or declare micros or int64',
    ],
    yearOfDatetime: [
      `the stored time is outside the years 1 to 9999, the range of ${v.time}`,
      'read the row in TypeScript',
    ],
    earlierVersion: [
      'the value has version {stored}, and only TypeScript upgrades it to version {current}',
      'read and save the row in TypeScript, which stores version {current}',
    ],
    unwritable: [
      'its rows are read only in this language: {reason}',
      'write them in TypeScript, or generate with --unsafe-writers and keep what follows from them',
    ],
    domainOutsideAscii: [
      'the domain name is not ASCII',
      'pass it in punycode, such as xn--mnchen-3ya.de',
    ],
  };
}
