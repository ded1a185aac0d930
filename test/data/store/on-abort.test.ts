/** Subscriptions to abort signals are called once and leave no listeners behind. */
import { getEventListeners } from 'node:events';
import { onAbort } from '../../../src/base/index.js';

test('many subscriptions share one listener, and each is called once', () => {
  const controller = new AbortController();
  const called: number[] = [];
  const unsubscribe = Array.from({ length: 100 }, (_, i) =>
    onAbort(controller.signal, () => void called.push(i)),
  );
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  unsubscribe[7]();
  unsubscribe[7]();
  controller.abort();
  expect(called).toEqual(Array.from({ length: 100 }, (_, i) => i).filter((i) => i !== 7));
  for (const each of unsubscribe) each();
});

test('the listener is removed with the last subscription', () => {
  const { signal } = new AbortController();
  const [one, other] = [onAbort(signal, () => undefined), onAbort(signal, () => undefined)];
  one();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  other();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  onAbort(signal, () => undefined);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});

test('a callback may unsubscribe others', () => {
  const controller = new AbortController();
  const called: string[] = [];
  const ends: (() => void)[] = [];
  ends.push(
    onAbort(controller.signal, () => {
      called.push('first');
      for (const end of ends) end();
    }),
    onAbort(controller.signal, () => void called.push('second')),
  );
  controller.abort();
  expect(called[0]).toBe('first');
});
