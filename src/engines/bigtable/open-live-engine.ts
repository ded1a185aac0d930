/** Opens the live engine by url. */
import { Calls } from './call/calls.js';
import { connect } from './channel/connect.js';
import { LiveEngine } from './live-engine.js';
import { type LiveSettings, parseTarget, resolveSettings } from './settings.js';

/**
 * Connects to `bigtable://project/instance?appProfile=name`. Does not check tables: a missing one
 * is reported at its first use. `onRetry` is called before each retry with the gRPC status of the
 * failed attempt.
 */
export async function openLiveEngine(
  url: string,
  settings: LiveSettings = {},
  onRetry?: (status: number) => void,
): Promise<LiveEngine> {
  const target = parseTarget(url);
  const resolved = resolveSettings(settings);
  return new LiveEngine(new Calls(await connect(target, resolved), resolved, url, onRetry));
}
