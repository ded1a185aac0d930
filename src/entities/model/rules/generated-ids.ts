/** Ids that the library makes: UUIDs, and ids that begin with the time. */
import { randomBytes, randomUUID } from 'node:crypto';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Makes numbers of 128 bits: the first 48 are the time in milliseconds, and the last `bits` are
 * random. Each number is greater than the previous one, also within a millisecond and if the clock
 * steps back: the random part then grows by a random step.
 */
function timeOrdered(bits: number): () => readonly [time: number, random: bigint] {
  const end = 1n << BigInt(bits);
  let time = 0;
  let random = 0n;
  return () => {
    const now = Date.now();
    const step = BigInt(randomBytes(4).readUInt32BE()) + 1n;
    if (now <= time && random + step < end) random += step;
    else {
      time = Math.max(now, time + 1);
      // The first bit is left free, so that there is room to grow.
      random = BigInt(`0x${randomBytes(10).toString('hex')}`) % (end >> 1n);
    }
    return [time, random];
  };
}

const nextUuidParts = timeOrdered(74);
const nextUlidParts = timeOrdered(80);

/** RFC 9562, version 7. */
function uuidv7(): string {
  const [time, random] = nextUuidParts();
  const high = Number(random >> 62n)
    .toString(16)
    .padStart(3, '0');
  const low = ((2n << 62n) | (random & ((1n << 62n) - 1n))).toString(16);
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${high}-${low.slice(0, 4)}-${low.slice(4)}`;
}

function ulid(): string {
  const [time, random] = nextUlidParts();
  let rest = (BigInt(time) << 80n) | random;
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = crockford[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}

/** The makers of ids, by their names in declarations. */
export const idMakers: Readonly<Record<'uuid' | 'uuidv7' | 'ulid', () => string>> = {
  uuid: randomUUID,
  uuidv7,
  ulid,
};
