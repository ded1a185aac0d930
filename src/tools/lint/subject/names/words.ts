/** The words of names, which suggest what values are. */

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
    .filter((word) => word !== '')
    .flatMap(splitKnown);
}

/** `orderid` and `createdat`, as SQL writes names, are two words. */
const joined =
  /^(account|client|country|created|customer|device|email|event|home|inserted|invoice|ip|log|mac|machine|message|modified|order|payment|phone|placed|posted|product|published|received|region|sensor|session|status|tenant|trade|transaction|updated|user|wallet)(address|at|code|date|id|kind|level|no|nr|number|on|state|status|time|ts|type)$/;

function splitKnown(word: string): readonly string[] {
  return joined.exec(word)?.slice(1) ?? [word];
}

/** The last word: `At` of `createdAt`, in lower case. */
export const lastWord = (name: string): string => wordsOf(name).at(-1) ?? '';

/** A set of words that a text lists. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const idWords = wordSet('code id key name slug uuid');

/** The word that a name is about: `tenant` of `tenantId`, `status` of `orderStatusCode`. */
export function nounOf(name: string): string {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  return words.length > 1 && idWords.has(last) ? words[words.length - 2] : last;
}
