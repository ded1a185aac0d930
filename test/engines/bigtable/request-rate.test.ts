/** The rate of bulk writes that a server controls, on a clock of the test. */
import { RequestRate } from '../../../src/engines/bigtable/call/request-rate.js';
import { statusCode } from '../../../src/engines/protocol/index.js';

let ms: number;
let rate: RequestRate;
beforeEach(() => {
  ms = 1000;
  rate = new RequestRate(() => ms);
});

/** Requests per second, as the delay between two requests shows it. Infinite without a limit. */
function measured(): number {
  const first = rate.reserve();
  const second = rate.reserve();
  ms += second;
  return second === first ? Infinity : Math.round(1_000_000 / (second - first)) / 1000;
}

/** Sends a limit, and waits until the next change. */
function follow(factor: number, periodMs = 10_000): void {
  rate.follow({ factor, periodMs });
  ms += periodMs;
}

test('a server that asks for nothing limits nothing', () => {
  for (let i = 0; i < 10; i++) rate.release(ms++);
  expect(measured()).toBe(Infinity);
});

test('requests are evenly spaced from the first limit on', () => {
  rate.follow({ factor: 0.8, periodMs: 10_000 });
  expect([rate.reserve(), rate.reserve(), rate.reserve()]).toEqual([0, 125, 250]);
  ms += 1000;
  expect(rate.reserve()).toBe(0);
});

test.each([
  [0.01, 7],
  [0.7, 7],
  [0.9, 9],
  [1, 10],
])('the factor %d makes the rate %d', (factor, expected) => {
  follow(factor);
  expect(measured()).toBe(expected);
});

test('a rate grows by at most 1.3 each, and only if it has delayed requests', () => {
  follow(1);
  follow(100);
  expect(measured()).toBe(10);
  follow(100);
  expect(measured()).toBe(13);
  follow(1.1);
  expect(measured()).toBe(14.3);
});

test('limits before the end of a period are ignored', () => {
  rate.follow({ factor: 0.8, periodMs: 10_000 });
  ms += 9_999;
  rate.follow({ factor: 0.8, periodMs: 10_000 });
  expect(measured()).toBe(8);
  rate.follow({ factor: 0.75, periodMs: 10_000 });
  expect(measured()).toBe(6);
});

test('a period of years ends after a minute', () => {
  rate.follow({ factor: 0.8, periodMs: 1e12 });
  ms += 60_000;
  follow(0.75);
  expect(measured()).toBe(6);
});

test('the rate stays between 0.1 and 100,000', () => {
  for (let i = 0; i < 50; i++) follow(0.7);
  expect(measured()).toBe(0.1);
  for (let i = 0; i < 60; i++) {
    measured();
    follow(1.3);
  }
  expect(measured()).toBe(100_000);
});

test.each([
  [0, 10_000],
  [-1, 10_000],
  [Number.NaN, 10_000],
  [0.8, 0],
  [0.8, -1],
  [0.8, Number.NaN],
])('the factor %d with the period %d is no limit', (factor, periodMs) => {
  rate.follow({ factor, periodMs });
  expect(measured()).toBe(Infinity);
});

test('a limit is lifted by a response without one, after its period', () => {
  follow(0.8);
  ms--;
  rate.release(ms);
  expect(measured()).toBe(8);
  ms++;
  rate.release(ms);
  expect(measured()).toBe(Infinity);
  follow(0.75);
  expect(measured()).toBe(6);
});

test('a request that was sent before the limit does not lift it', () => {
  const sentAt = ms++;
  follow(0.8);
  rate.release(sentAt);
  expect(measured()).toBe(8);
});

test('after an error the rate changes as often as the server last said', () => {
  follow(1, 200);
  rate.fail(statusCode.UNAVAILABLE);
  ms += 200;
  follow(0.8);
  expect(measured()).toBe(5.6);
});

test('an error before the first limit is none', () => {
  rate.fail(statusCode.UNAVAILABLE);
  follow(0.8);
  expect(measured()).toBe(8);
});

test.each([statusCode.DEADLINE_EXCEEDED, statusCode.UNAVAILABLE, statusCode.RESOURCE_EXHAUSTED])(
  'status %d lowers the rate, once in ten seconds',
  (code) => {
    follow(1);
    rate.fail(code);
    rate.fail(code);
    expect(measured()).toBe(7);
    ms += 10_000;
    rate.fail(code);
    expect(measured()).toBe(4.9);
    ms += 10_000;
    rate.fail(statusCode.INVALID_ARGUMENT);
    expect(measured()).toBe(4.9);
  },
);
