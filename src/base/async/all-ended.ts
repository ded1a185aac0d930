/**
 * The results of requests that are made at the same time. Like Promise.all, but rejects once all
 * have ended: nothing is in flight when the caller learns of a failure.
 */
export async function allEnded<T>(requests: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(requests);
  return Promise.all(requests);
}
