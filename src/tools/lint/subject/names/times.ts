/** Names of times. */
import { dayMs, hourMs } from '../../../../base/index.js';
import { lastWord, wordSet, wordsOf } from './words.js';

const times = wordSet(
  'at created date datetime day dt epoch hour inserted instant minute modified month second tick ' +
    'ticks time timeslot timestamp ts unix updated week year ymd yyyymm yyyymmdd yyyymmddhh',
);
/** Ids that start with a time: `snowflakeId`. */
const timeIds = wordSet('ksuid snowflake tsid ulid');
/** What follows the time in a name: its unit, or that it is floored. */
const timeUnits = wordSet(
  'bucket micros microseconds millis milliseconds ms nanos nanoseconds ns on seconds us utc',
);
/** What happened last: `lastAccess`. */
const lastEvents = wordSet(
  'access activity change heartbeat login seen update updated visit write',
);

/** `publishedOn`, `sentOn`; not `basedOn`. */
const happened = /^(?!based|focused|related).*ed$|^(sent|paid|sold|made|held|left)$/;

/** `createdAt`, `day`, `epochMillis`, `lastSeen`, `ulid`: values that grow with time. */
export function namesTime(name: string): boolean {
  return namesTimeId(name) || namesClock(name);
}

/** `createdAt`, `day`: a time, and not an id that starts with one. */
export function namesClock(name: string): boolean {
  const words = wordsOf(name);
  // Dates of birth are in the past, in no order.
  if (words.some((word) => /^(birth\w*|born|dob|founded)$/.test(word))) return false;
  const last = words.findLastIndex((word) => !timeUnits.has(word));
  if (words[last - 1] === 'last' && lastEvents.has(words[last])) return true;
  if (words.at(-1) === 'on' && happened.test(words.at(-2) ?? '')) return true;
  return times.has(words[last]);
}

/** `ulid`, `snowflakeId`, `timeUuid`. */
function namesTimeId(name: string): boolean {
  if (namesTimeUuid(name)) return true;
  const words = wordsOf(name);
  const last = words.at(-1) === 'id' ? words.at(-2) : words.at(-1);
  return timeIds.has(last ?? '');
}

/** `uuidV7`, `timeUuid`. */
export function namesTimeUuid(name: string): boolean {
  return /uuidv?[167](?!\d)|timeuuid|ordereduuid/.test(wordsOf(name).join(''));
}

/** `objectId`, `_id`: perhaps the 12 bytes of MongoDB, which start with a time. */
export const namesObjectId = (name: string): boolean =>
  /^(_id|oid|(object|mongo)_?id)$/i.test(name);

const bucketWords: ReadonlyMap<string, number> = new Map([
  ['minute', hourMs / 60],
  ['hour', hourMs],
  ['day', dayMs],
  ['date', dayMs],
  ['week', 7 * dayMs],
  ['month', 31 * dayMs],
  ['year', 366 * dayMs],
]);

/** The length of the time bucket that a name is about, in milliseconds: `month`, `eventDate`. */
export function namedBucketMs(name: string): number | undefined {
  return bucketWords.get(lastWord(name));
}

/** `dueAt`, `birthDate`: a date that is not the time of the write. */
export function namesOtherDate(name: string): boolean {
  return wordsOf(name).some((word) =>
    /^(due|deadline|effective|expir\w*|until|valid|scheduled|birth\w*|born|dob|founded)$/.test(
      word,
    ),
  );
}
