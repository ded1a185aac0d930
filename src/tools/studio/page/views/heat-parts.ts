/** The parts of tools/page in a shadow root, where their styles are their own. */
import { effect } from '@preact/signals';
import type { Json } from '../../protocol/json.js';
import { mountHeatMap } from '../../../page/browser/heat-map.js';
import { readData } from '../../../page/browser/data.js';
import css from '../../../page/browser/page.css';
import { theme } from '../state/settings.js';

/** What is drawn. */
interface HeatShown {
  readonly source: string;
  readonly maps: readonly Json[];
  /** A recommendation, above the maps. */
  readonly conclusion?: { readonly verdict: string; readonly reasons: readonly string[] };
}

export interface HeatView {
  readonly show: (shown: HeatShown) => void;
  readonly remove: () => void;
}

/** The studio has the title and the switch of colours. */
const ofStudio = `
  :host { color: var(--ink); font: 0.8125rem/1.45 system-ui, sans-serif; }
  h1, .controls .theme { display: none; }
`;

/** Rules of a document, for a shadow root. */
function ownStyles(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  const scoped = css.replace(/:root(\[[^\]]*\])/g, ':host($1)').replaceAll(':root', ':host');
  sheet.replaceSync(`${scoped}\n${ofStudio}`);
  return sheet;
}

/** Heat maps in an element, which later recordings replace. */
export function mountHeat(host: HTMLElement): HeatView {
  const shadow = host.attachShadow({ mode: 'open' });
  shadow.adoptedStyleSheets = [ownStyles()];
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let page: ReturnType<typeof mountHeatMap> | undefined;
  let shown = '';
  const draw = (): void => {
    const system = dark.matches ? 'dark' : 'light';
    if (page !== undefined) page.state.theme = theme.value === 'system' ? system : theme.value;
    page?.draw();
  };
  return {
    show(given) {
      const json = JSON.stringify({ title: 'Heat map', ...given });
      if (json === shown) return;
      shown = json;
      const root = document.createElement('div');
      shadow.replaceChildren(root);
      page = mountHeatMap(root, readData(json));
      draw();
    },
    remove: effect(draw),
  };
}
