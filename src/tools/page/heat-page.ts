/** A heat map as one HTML file without any request: the data, and the script that draws them. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import type { HeatFinding } from '../heat/index.js';
import type { HeatTable } from './heat-table.js';

/** What a page shows. */
export interface HeatPage {
  readonly title: string;
  /** Where the data come from, in a sentence. */
  readonly source: string;
  readonly tables: readonly HeatTable[];
  readonly findings: readonly HeatFinding[];
  /** Says that too little was recorded to judge. */
  readonly unjudged?: string | undefined;
}

/** In the order in which the page needs them. */
const scripts = ['data.js', 'colours.js', 'axis.js', 'view.js', 'picture.js', 'page.js'] as const;

/** The page. Throws MISSING_PACKAGE if the files of the package are not there. */
export function heatPage(page: HeatPage): string {
  const style = readPart('page.css');
  const script = scripts.map(readPart).join('\n');
  const policy =
    `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; ` +
    "base-uri 'none'; form-action 'none'";
  const parts: readonly (readonly [empty: string, filled: string])[] = [
    [`content="default-src 'none'"`, `content="${policy}"`],
    ['<style></style>', `<style>${style}</style>`],
    ['id="data"></script>', `id="data">${embeddedJson(page)}</script>`],
    ['<script></script>', `<script>${script}</script>`],
  ];
  return parts.reduce(
    (html, [empty, filled]) => html.replace(empty, () => filled),
    readPart('page.html'),
  );
}

/** The data; `<` could end the script element. */
function embeddedJson({ tables, ...page }: HeatPage): string {
  const packed = tables.map(({ values, ...table }) => ({
    ...table,
    // Operations are reads and writes.
    values: {
      reads: packNumbers(values.reads),
      writes: packNumbers(values.writes),
      bytes: packNumbers(values.bytes),
    },
  }));
  return JSON.stringify({ ...page, tables: packed }).replaceAll('<', '\\u003c');
}

/**
 * Whole numbers as base64 of LEB128: n + 1 for a number n above 0, and for a run of zeros a 0 and
 * its length. Most cells of a heat map are 0. `page/data.js` is the inverse.
 */
export function packNumbers(numbers: readonly number[]): string {
  const bytes: number[] = [];
  const add = (value: number): void => {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  };
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i] > 0) {
      add(numbers[i] + 1);
      continue;
    }
    const start = i;
    while (i + 1 < numbers.length && numbers[i + 1] === 0) i++;
    add(0);
    add(i - start + 1);
  }
  return Buffer.from(bytes).toString('base64');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** A file of `page/`, which scripts/build.mjs copies to dist/esm/src/heatmap-page. */
function readPart(name: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const found = [join(here, 'page', name), join(here, '../heatmap-page', name)].find(existsSync);
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
