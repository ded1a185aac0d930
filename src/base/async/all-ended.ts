/**
 * The results of requests that are made at the same time. Like Promise.all, but if one fails, it
 * rejects once all have ended: nothing is in flight any more when the caller learns of it.
 */
export async function allEnded<T>(requests: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(requests);
  return Promise.all(requests);
}
