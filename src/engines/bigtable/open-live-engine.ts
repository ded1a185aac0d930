/** Opens the live engine by url. */
import type { Engine } from '../../store/index.js';
import { Calls } from './call/calls.js';
import { connect } from './channel/connect.js';
import { LiveEngine } from './live-engine.js';
import { type LiveSettings, parseTarget, resolveSettings } from './settings.js';

/**
 * Connects to `bigtable://project/instance?appProfile=name`. Looks at no table: what is missing
 * shows at its first use. `onRetry` hears of every try of a call after its first.
 */
export async function openLiveEngine(
  url: string,
  settings: LiveSettings = {},
  onRetry?: (status: number) => void,
): Promise<Engine> {
  const target = parseTarget(url);
  const resolved = resolveSettings(settings);
  return new LiveEngine(new Calls(await connect(target, resolved), resolved, url, onRetry));
}
