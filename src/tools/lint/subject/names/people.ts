/** Names of personal data. */
import { wordSet, wordsOf } from './words.js';

const personalWords = wordSet(
  'birthday cellphone dob email fax gaid iban iccid idfa imei imsi ip ipv4 ipv6 mac meid mrn msisdn ' +
    'nickname passport phone screenname ssn surname telephone username',
);
const personalPhrases =
  /(first|last|full|family|given|maiden|middle|nick|user|display|screen)name|birthdate|dateofbirth|creditcard|cardnumber|bankaccount|taxid|taxnumber|nationalid|advertisingid|socialsecurity|licen[cs]eplate|numberplate|platenumber|call(er|ed|ee)number|driver(s)?licen[cs]e|nationalinsurance/;
/** `mobile` as a noun, and `login` as a name. */
const personalEnds = wordSet('login mobile');
/** `e-mail` and `mail`, which are also the ends of other words. */
const mailNames = /^(.* )?e? ?mail( address)?$/;
/** Addresses of people, of their wallets and of their devices; not of memory. */
const addressWords = wordSet('addr address');
const otherAddresses = wordSet(
  'base block bus contract end memory page physical register space start token virtual',
);
/** Who has a name. */
const people =
  /^(customer|doctor|driver|employee|guest|member|passenger|patient|person|player|student|teacher|user)s?$/;
/** Values that were replaced by something from which they do not follow. */
const replaced = /anonym|digest|encrypted|hash|hmac|masked|pseudonym|sha\d|token/;
/** What is not the value itself: `phoneModel`, `emailCampaign`, `ipRange`. */
const aboutIt = wordSet(
  'app batch block book campaign count country domain event family folder format group job kind ' +
    'list message model network operator os platform pool prefix provider queue range segment ' +
    'server service source status subnet template thread topic type version',
);

/** Whether the last word says nothing: `emailCampaignId`, `mobileNumber`. */
function isAbout(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return (
    (last === 'id' && words.length > 2) || (/^(no|nr|num|number)$/.test(last) && words.length > 1)
  );
}

/** `email`, `firstName`, `ip`: values that identify a person. */
export function namesPerson(name: string): boolean {
  const all = wordsOf(name);
  // The id of an e-mail campaign is about the campaign.
  const words = isAbout(all) ? all.slice(0, -1) : all;
  const joined = all.join('');
  const last = words.at(-1) ?? '';
  if (replaced.test(joined) || aboutIt.has(last)) return false;
  if (mailNames.test(words.join(' '))) return true;
  if (addressWords.has(last)) return !otherAddresses.has(words.at(-2) ?? '');
  if (personalEnds.has(last)) return words.at(-2) !== 'last';
  if (last === 'name' && people.test(words.at(-2) ?? '')) return true;
  return words.some((word) => personalWords.has(word)) || personalPhrases.test(joined);
}

/** `emailHash`, `phoneHmac`: what K06 recommends in place of a value that identifies a person. */
export function namesHashedPerson(name: string): boolean {
  const words = wordsOf(name);
  const others = words.filter((word) => !/hash|hmac|digest|^sha\d*$/.test(word));
  return others.length < words.length && namesPerson(others.join(' '));
}

/** `Customer`, `PatientRecord`: an entity with the name of a kind of person. */
export function isOfPeople(entity: string): boolean {
  const words = wordsOf(entity);
  const isRecord = /^(account|profile|record)s?$/.test(words.at(-1) ?? '');
  return people.test(words.at(isRecord ? -2 : -1) ?? '');
}
