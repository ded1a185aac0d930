/**
 * The installed package in Jest's default mode, which has no `import()`: Jest runs CommonJS in a
 * context where it throws, unless Node is started with --experimental-vm-modules.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { run } from '../support/built-package.js';
import { installedProject } from '../support/installed-project.js';

/** Needs every package that is loaded on first use, and every chunk of our own. */
const suite = `
const { mkdtempSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { IsInt } = require('class-validator');
const { column, defineEntity, open, rowKey } = require('rowsmith');
const { startServer } = require('rowsmith/server');
const { testDatabase } = require('rowsmith/testing');
const { rowsmith } = require('rowsmith/vite');

class Part {}
IsInt()(Part.prototype, 'size');
defineEntity(Part, {
  table: 'parts',
  families: { p: {} },
  key: rowKey('id'),
  segments: { id: { kind: 'string', maxLength: 20 } },
  columns: { name: column('p', 'string'), size: column('p', 'double') },
});
const options = { entities: [Part] };

async function savesAndReads(db) {
  const parts = db.repository(Part);
  await parts.save(parts.create({ id: 'p1', name: 'bolt', size: 3 }));
  expect((await parts.get({ id: 'p1' })).name).toBe('bolt');
  const wrong = parts.create({ id: 'p2', name: 'nut', size: 1.5 });
  await expect(parts.save(wrong)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
}

test('memory:', async () => {
  const db = await open('memory:', options);
  await savesAndReads(db);
  // A pattern that is more than literal text needs re2js.
  const filter = { kind: 'valueRegex', pattern: Buffer.from('b[o]lt') };
  const ranges = [{ start: new Uint8Array(), end: undefined }];
  const rows = db.engine.readRows({ table: 'parts', ranges, reversed: false, filter });
  expect(await rows.next()).toBeDefined();
  await db.close();
});

test('file:, and a reader beside it', async () => {
  const url = 'file:' + mkdtempSync(join(__dirname, 'data-'));
  const db = await open(url, options);
  await savesAndReads(db);
  const reader = await open(url, { ...options, readOnly: true });
  expect(await reader.repository(Part).scanAll().count()).toBe(1);
  await reader.close();
  await db.close();
});

test('testDatabase', async () => {
  const db = await testDatabase([Part]);
  await savesAndReads(db);
  await db.close();
});

test('spans and metrics', async () => {
  const db = await open('memory:', { ...options, observe: { telemetry: true } });
  await savesAndReads(db);
  await db.close();
});

test('a server and a live database', async () => {
  const db = await open('memory:', options);
  const server = await startServer(db.engine);
  process.env.BIGTABLE_EMULATOR_HOST = server.address;
  const live = await open('bigtable://p/i', options);
  try {
    await live.admin.apply();
    await savesAndReads(live);
  } finally {
    // Open connections would keep Jest running.
    await live.close();
    await server.close({ graceMs: 500 });
    await db.close();
  }
});

test('the plugin for Vite', async () => {
  const source = "@Entity({ table: 'parts' }) class Part {}";
  const file = join(__dirname, 'part.ts');
  writeFileSync(file, source);
  const { code } = await rowsmith().transform(source, file);
  expect(code).not.toContain('@Entity');
});
`;

let project = '';
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'rowsmith-jest-'));
  installedProject(project, { 'package.json': '{ "private": true }', 'part.test.js': suite }, [
    'jest',
    'class-validator',
    'esbuild',
    '@google-cloud/bigtable',
    '@grpc/grpc-js',
    '@opentelemetry/api',
  ]);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test('every entry point works in Jest without --experimental-vm-modules', () => {
  const { status, output } = run(project, 'node_modules/.bin/jest', ['--ci'], {
    METADATA_SERVER_DETECTION: 'none',
  });
  expect(output).toContain('6 passed, 6 total');
  expect(status).toBe(0);
});

/** Code without comments, because they mention the calls as well. */
function codeOf(path: string): string {
  const options = { minifyWhitespace: true, platform: 'node', target: 'node20' } as const;
  return transformSync(readFileSync(path, 'utf8'), options).code;
}

test('the CommonJS build has no import(), and requires no computed name', () => {
  const folder = join(project, 'node_modules/rowsmith/dist/cjs');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const modules = files.filter((name) => name.endsWith('.js'));
  expect(modules.length).toBeGreaterThan(20);
  const calls = modules.flatMap((name) => {
    const code = codeOf(join(folder, name));
    return code.match(/(?<![\w$.])(import\(|require\((?!["']))[^)]*\)/g) ?? [];
  });
  expect(calls).toEqual([]);
});
