/** What follows a signal: everyone is told once, and nothing stays at the signal. */
import { onAbort } from '../../src/base/index.js';
/** What follows a signal: everyone is told once, and nothing stays at the signal. */
import { getEventListeners } from 'node:events';
test('many follow one signal by one listener, and each is told once', () => {
  const controller = new AbortController();
  const told: number[] = [];
  const unfollow = Array.from({ length: 100 }, (_, i) =>
    onAbort(controller.signal, () => void told.push(i)),
  );
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  unfollow[7]();
  unfollow[7]();
  controller.abort();
  expect(told).toEqual(Array.from({ length: 100 }, (_, i) => i).filter((i) => i !== 7));
  for (const end of unfollow) end();
});

test('nothing stays at a signal that nobody follows', () => {
  const { signal } = new AbortController();
  const [one, other] = [onAbort(signal, () => undefined), onAbort(signal, () => undefined)];
  one();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  other();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  onAbort(signal, () => undefined);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});

test('who is told may end what others follow', () => {
  const controller = new AbortController();
  const told: string[] = [];
  const ends: (() => void)[] = [];
  ends.push(
    onAbort(controller.signal, () => {
      told.push('first');
      for (const end of ends) end();
    }),
    onAbort(controller.signal, () => void told.push('second')),
  );
  controller.abort();
  expect(told[0]).toBe('first');
});
