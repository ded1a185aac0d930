/** Heat maps as one HTML file without any request: the data, and the script that draws them. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import type { HeatMap } from './heat-map.js';
import { packMaps } from './page-data.js';

/** What a page shows. */
export interface HeatPage {
  readonly title: string;
  /** Where the data come from, in a sentence. */
  readonly source: string;
  /** What follows from all maps. */
  readonly conclusion?: PageConclusion | undefined;
  readonly maps: readonly HeatMap[];
}

/** A recommendation: a name, and its reasons as sentences. */
export interface PageConclusion {
  readonly verdict: string;
  readonly reasons: readonly string[];
}

/** Bytes of a page, at most. */
const maxPageBytes = 1_000_000;

/** Modules of `browser/`, each after those that it imports. */
const modules = [
  'numbers.js',
  'data.js',
  'elements.js',
  'totals.js',
  'colours.js',
  'scale.js',
  'axis.js',
  'view.js',
  'picture.js',
  'findings.js',
  'help.js',
  'controls.js',
  'keys.js',
  'pointer.js',
  'heat-map.js',
] as const;

/**
 * The page, of at most a megabyte: large maps are drawn more coarsely. Throws MISSING_PACKAGE if
 * the files of the package are not there.
 */
export function heatPage({ maps, ...page }: HeatPage): string {
  const style = readPart('page.css');
  const script = pageScript([...modules, 'main.js']);
  const policy =
    `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; ` +
    "base-uri 'none'; form-action 'none'";
  const texts = JSON.stringify(page).replaceAll('<', '\\u003c');
  const room = maxPageBytes - Buffer.byteLength(script + style + texts) - 10_000;
  const data = `${texts.slice(0, -1)},"maps":${packMaps(maps, room)}}`;
  const parts: readonly (readonly [empty: string, filled: string])[] = [
    [`content="default-src 'none'"`, `content="${policy}"`],
    ['<style></style>', `<style>${style}</style>`],
    ['id="data"></script>', `id="data">${data}</script>`],
    ['<script></script>', `<script>${script}</script>`],
  ];
  return parts.reduce(
    (html, [empty, filled]) => html.replace(empty, () => filled),
    readPart('page.html'),
  );
}

/** Modules as one script: without imports and exports, each name is declared once. */
export function pageScript(names: readonly string[] = modules): string {
  const bodies = names.map((name) =>
    readPart(name)
      .replace(/^import [^;]*;\n/gm, '')
      .replace(/^export /gm, ''),
  );
  return ["'use strict';", ...bodies].join('\n');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** A file of `browser/`, which scripts/build.mjs copies to dist/esm/src/heatmap-page. */
function readPart(name: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const found = [join(here, 'browser', name), join(here, '../heatmap-page', name)].find(existsSync);
  if (found === undefined)
    throw new RowsmithError('MISSING_PACKAGE', {
      property: 'html',
      ...faults.missingFile(name),
    });
  return readFileSync(found, 'utf8').trimEnd();
}

const faults = {
  missingFile: (name: string) => ({
    problem: `the file ${name} of the page is not in the package`,
    fix: 'run rowsmith from its package in node_modules, not from a bundle of it',
  }),
} satisfies FaultTexts;
