/** The files of the page, which a build has made. */
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { FaultTexts } from '../../../base/index.js';
import { StudioError } from '../studio-error.js';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

/** A file, as it is sent. */
export interface PageFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Whether its name changes with its content. */
  readonly isHashed: boolean;
}

/** The first page. */
const index = '/index.html';

/** The files of a folder. A path is looked up among their names, so that none leads elsewhere. */
export class PageFiles {
  readonly #folder: string;
  #paths: ReadonlySet<string> = new Set();

  constructor(folder: string) {
    this.#folder = folder;
    this.#list();
  }

  #list(): void {
    const folder = this.#folder;
    const names = existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
      : [];
    this.#paths = new Set(names.map((name) => `/${name.split(sep).join('/')}`));
  }

  /** The file of a path. Throws NOT_BUILT without a first page, and NOT_FOUND. */
  async read(path: string): Promise<PageFile> {
    // A build may have replaced them since.
    if (!this.#paths.has(path === '/' ? index : path)) this.#list();
    if (!this.#paths.has(index)) throw new StudioError('NOT_BUILT', faults.notBuilt(this.#folder));
    const name = path === '/' ? index : path;
    const type = types[extname(name)];
    if (!this.#paths.has(name) || type === undefined)
      throw new StudioError('NOT_FOUND', faults.noFile);
    const bytes = await readFile(join(this.#folder, name));
    return { bytes, type, isHashed: /[-.][A-Za-z0-9_-]{8,}\.\w+$/.test(name) };
  }
}

const faults = {
  notBuilt: (folder: string) => ({
    problem: `the page is missing: ${folder} has no index.html`,
    fix: 'install the package again; in its repository run npm run build',
  }),
  noFile: { problem: 'the page has no such file', fix: 'open the first page' },
} satisfies FaultTexts;
