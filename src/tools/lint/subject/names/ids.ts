/** Names of ids and of numbers: which are issued in order, and which are written as text. */
import { nounOf, wordSet, wordsOf } from './words.js';

/** What happens once, and is numbered as it happens. */
const events = wordSet(
  'alert batch bill block booking call case charge claim click comment event impression incident invoice ' +
    'job log message msg order payment receipt record request reservation revision row run sale session ' +
    'shipment ticket trade transaction transfer trip txn visit',
);
/** What is there before its rows are written; its numbers are given by a maker or by hand. */
const things = wordSet(
  'asset balloon bus camera car cell channel city controller country device gateway host ' +
    'hub item line location machine meter node partition plant product region room sensor shard ' +
    'shop site sku stage station store table train truck unit vehicle warehouse zone',
);
/** Who is registered with a number. */
const people = wordSet('client customer employee member patient player subscriber user');
const counts = wordSet('autoincrement counter lsn offset pk rowid rownum seq sequence xid');
const numberWords = wordSet('no nr num number');
const notIssued = /hash|random|external|reversed|foreign|shuffled/;

/** What is in the key behind an id. */
export type Following = 'nothing' | 'time' | 'other';

/**
 * `orderId`, `sequence`: integers that are probably issued in order, if they lead a key. The id of
 * a machine or a user before other segments is none: the rows of all machines grow at a time.
 */
export function namesSequence(name: string, following: Following): boolean {
  const words = wordsOf(name);
  const joined = words.join('');
  if (notIssued.test(joined)) return false;
  const last = words.at(-1) ?? '';
  if (counts.has(last) || counts.has(joined) || joined === 'serial') return true;
  const noun = words.at(-2);
  const isNumber = numberWords.has(last);
  if (noun === undefined) {
    if (last === 'id') return following !== 'time';
    return isNumber || last === 'index' || events.has(last);
  }
  if (last !== 'id' && !isNumber) return events.has(last);
  if (events.has(noun) || counts.has(noun)) return true;
  if (following !== 'nothing') return false;
  return isNumber ? people.has(noun) : !things.has(noun);
}

/** What is counted within something else: the pages of a book. */
const parts = wordSet('block build chapter chunk episode item line lot page part revision step');
const quantities = wordSet(
  'age altitude amount balance count distance duration lat latitude lng lon longitude price qty ' +
    'quantity rank ranking score temperature',
);

/** `orderNumber`, `price`, `sequence`: values that are numbers, also where they are text. */
export function namesNumber(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  if (quantities.has(last) || counts.has(last)) return true;
  if (!numberWords.has(last)) return false;
  const noun = words.at(-2);
  return noun === undefined || events.has(noun) || parts.has(noun) || counts.has(noun);
}

/** `rowHash`, `md5`; not a geohash: its beginning is an area. */
export function namesHash(name: string): boolean {
  if (wordsOf(name).join('').includes('geohash')) return false;
  return /^(.*hash|hashed|md5|sha\d*|digest|checksum|crc\d*|fingerprint)$/.test(
    wordsOf(name).find((word) => /hash|md5|^sha\d*$|digest|checksum|^crc|fingerprint/.test(word)) ??
      '',
  );
}

const tenants = wordSet('tenant org organization organisation workspace');

/** `tenantId`, `organization`: values that separate customers from each other. */
export const namesTenant = (name: string): boolean => tenants.has(nounOf(name));
