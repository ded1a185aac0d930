/** Names of values: how many there are, how often they change, and what contains what. */
import { lastWord, nounOf, wordSet, wordsOf } from './words.js';

const fewValues = wordSet(
  'action active category class color colour continent country currency datacenter dc department ' +
    'direction division enabled env environment exchange flag format gender grade kind language ' +
    'level locale market medium method mode os outcome phase plan platform priority protocol ' +
    'quarter reason region result role severity sex shift side stage state status tier type ' +
    'weekday zone',
);

/** `status`, `regionId`, `eventType`: most rows have one of a few values. */
export function namesFewValues(name: string): boolean {
  const words = wordsOf(name);
  const isFlag = words.length > 1 && /^(is|has)$/.test(words[0]);
  return isFlag || fewValues.has(nounOf(name)) || words.join('') === 'datacenter';
}

const domains = wordSet('domain domainname fqdn host hostname website');
const addresses = wordSet('homepage href link permalink referer referrer uri url webpage');

/** What part of an address on the web a name is about. */
export function namesOfWeb(name: string): 'domain' | 'url' | undefined {
  const last = lastWord(name);
  const two = wordsOf(name).slice(-2).join('');
  if (addresses.has(last) || addresses.has(two)) return 'url';
  return domains.has(last) || domains.has(two) ? 'domain' : undefined;
}

const metrics = wordSet('counter gauge measurement metric sensor stat');
const isNow = wordSet('actual best current last latest live mid now realtime');
const measures = wordSet(
  'amps ask battery bid celsius coordinates cpu fahrenheit gps heading heartbeat humidity lat ' +
    'latitude load location lon longitude memory memusage odometer position power pressure price ' +
    'quote reading rpm speed temperature throughput usage utilization value voltage watts',
);
const readings = wordSet(
  'gauge heartbeat measurement position quote reading sample telemetry tick',
);

/** `metric`, `gaugeName`: what is measured. */
export const namesMetric = (name: string): boolean => metrics.has(nounOf(name));

/** `value`, `memoryUsage`: what a measurement gives. */
export const namesMeasure = (name: string): boolean => measures.has(lastWord(name));

/** `lastPrice`, `currentPosition`: what each measurement replaces. */
export const namesNewestMeasure = (name: string): boolean =>
  namesMeasure(name) && isNow.has(wordsOf(name)[0]);

/** `memoryUsage`, `cpuLoad`: what changes all the time. */
export const namesUsage = (name: string): boolean =>
  /(memory|mem|cpu|heap|disk|network)(usage|used|load|utilization)$/.test(wordsOf(name).join(''));

/** `LatestReading`, `Heartbeat`: an entity of measurements. */
export function isOfReadings(entity: string): boolean {
  return readings.has(lastWord(entity).replace(/s$/, ''));
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
