/** What the names of properties and families suggest about their values. */

/** The words of a name, in lower case: `createdAt` and `created_at` are `created`, `at`. */
export function wordsOf(name: string): readonly string[] {
  let words = knownWords.get(name);
  if (words !== undefined) return words;
  words = splitWords(name);
  if (knownWords.size < maxKnownNames) knownWords.set(name, words);
  return words;
}

/** Several rules look at each name, and entities share names. */
const knownWords = new Map<string, readonly string[]>();
const maxKnownNames = 10_000;

function splitWords(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

const lastWord = (name: string): string => wordsOf(name).at(-1) ?? '';

const times: ReadonlySet<string> = new Set(
  (
    'at created date datetime day epoch hour inserted minute modified month second time ' +
    'timestamp ts unix updated week year yyyymmdd yyyymmddhh ksuid objectid snowflake tsid ulid'
  ).split(' '),
);
/** Ids that start with a time: `snowflakeId`. */
const timeIds: ReadonlySet<string> = new Set(['ksuid', 'snowflake', 'tsid', 'ulid']);
/** What follows the time in a name: its unit, or that it is floored. */
const timeUnits: ReadonlySet<string> = new Set(
  'bucket micros microseconds millis milliseconds ms nanos nanoseconds ns on seconds us utc'.split(
    ' ',
  ),
);
const sequences: ReadonlySet<string> = new Set(
  'counter id index no nr num number offset seq sequence serial'.split(' '),
);

/** `createdAt`, `day`, `epochMillis`, `ulid`: values that grow with time. */
export function namesTime(name: string): boolean {
  if (namesTimeUuid(name)) return true;
  const words = wordsOf(name);
  // Dates of birth are in the past, in no order.
  if (words.some((word) => /^(birth\w*|born|dob|founded)$/.test(word))) return false;
  const last = words.findLastIndex((word) => !timeUnits.has(word));
  if (words[last] === 'id') return timeIds.has(words[last - 1]);
  return times.has(words[last]);
}

/** `uuidV7`, `timeUuid`. */
export function namesTimeUuid(name: string): boolean {
  return /uuidv?[167](?!\d)|timeuuid|ordereduuid/.test(wordsOf(name).join(''));
}

/** `orderId`, `sequence`: integers that are probably issued in order. */
export function namesSequence(name: string): boolean {
  return sequences.has(lastWord(name));
}

/** `rowHash`, `md5`; not a geohash: its beginning is an area. */
export function namesHash(name: string): boolean {
  if (wordsOf(name).join('').includes('geohash')) return false;
  return /^(.*hash|hashed|md5|sha\d*|digest|checksum|crc\d*|fingerprint)$/.test(
    wordsOf(name).find((word) => /hash|md5|^sha\d*$|digest|checksum|^crc|fingerprint/.test(word)) ??
      '',
  );
}

/** `tenantId`, `organization`: values that separate customers from each other. */
export function namesTenant(name: string): boolean {
  const words = wordsOf(name);
  const isOfTenant = /^(code|id|key|name|slug|uuid)$/.test(words.at(-1) ?? '');
  const noun = isOfTenant ? words.at(-2) : words.at(-1);
  return ['tenant', 'org', 'organization', 'organisation', 'workspace'].includes(noun ?? '');
}

/** `host`, `domain`. */
export function namesDomain(name: string): boolean {
  return ['domain', 'fqdn', 'host', 'hostname', 'url'].includes(lastWord(name));
}

const personalWords: ReadonlySet<string> = new Set(
  (
    'birthday dob email iban ip ipv4 ipv6 mobile msisdn nickname passport phone ssn surname ' +
    'telephone username'
  ).split(' '),
);
const personalPhrases =
  /(first|last|full|family|given|maiden|middle|nick|user|display)name|birthdate|dateofbirth|creditcard|cardnumber|taxid|taxnumber|nationalid|socialsecurity|(street|home|postal)address|licen[cs]eplate/;
/** `e-mail` and `mail`, which are also the ends of other words. */
const mailNames = /^(.* )?e? ?mail( address)?$/;
/** Who has a name. */
const people =
  /^(customer|doctor|driver|employee|guest|member|passenger|patient|person|player|student|teacher|user)s?$/;
/** Values that were replaced by something from which they do not follow. */
const replaced = /anonym|digest|encrypted|hash|hmac|masked|pseudonym|sha\d|token/;
/** What is not the value itself: `phoneModel`, `emailCampaign`, `ipRange`. */
const aboutIt: ReadonlySet<string> = new Set(
  (
    'campaign count country domain format kind list model operator pool prefix provider range ' +
    'segment status subnet template type version'
  ).split(' '),
);

/** `email`, `firstName`, `ip`: values that identify a person. */
export function namesPerson(name: string): boolean {
  const words = wordsOf(name);
  const joined = words.join('');
  if (replaced.test(joined) || aboutIt.has(words.at(-1) ?? '')) return false;
  if (mailNames.test(words.join(' '))) return true;
  if (words.at(-1) === 'name' && people.test(words.at(-2) ?? '')) return true;
  return words.some((word) => personalWords.has(word)) || personalPhrases.test(joined);
}

/** `Customer`, `PatientRecord`: an entity with the name of a kind of person. */
export function isOfPeople(entity: string): boolean {
  const words = wordsOf(entity);
  const isRecord = /^(account|profile|record)s?$/.test(words.at(-1) ?? '');
  return people.test(words.at(isRecord ? -2 : -1) ?? '');
}

/** `dueAt`, `birthDate`: a date that is not the time of the write. */
export function namesOtherDate(name: string): boolean {
  return wordsOf(name).some((word) =>
    /^(due|deadline|effective|expir\w*|until|valid|scheduled|birth\w*|born|dob|founded)$/.test(
      word,
    ),
  );
}

/** Names from the general to the granular. */
const hierarchies: readonly (readonly string[])[] = [
  ['continent', 'country', 'region', 'state', 'county', 'city', 'street'],
  ['year', 'month', 'day', 'hour', 'minute', 'second'],
];

/** Whether `later` is more general than `earlier`: country after city. */
export function isMoreGeneral(later: string, earlier: string): boolean {
  return hierarchies.some((names) => {
    const [a, b] = [names.indexOf(lastWord(earlier)), names.indexOf(lastWord(later))];
    return b >= 0 && a > b;
  });
}
