/** The page as Chromium draws it, and how it answers keys and the pointer. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findChromium } from './support/chromium.js';
import { decodePng, type Pixels } from './support/decode-png.js';
import { pageOf } from './support/pages.js';

const chromium = findChromium();
const withChromium = chromium === undefined ? describe.skip : describe;

withChromium('as Chromium draws it', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rowsmith-page-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What Chromium prints; fails if the page logs an error. */
  function run(html: string, dark: boolean, ...flags: string[]): string {
    const file = join(folder, 'page.html');
    writeFileSync(file, html);
    const { stdout, stderr, status } = spawnSync(
      chromium!,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--hide-scrollbars',
        '--enable-logging=stderr',
        '--window-size=1300,1060',
        `--user-data-dir=${join(folder, 'profile')}`,
        `--blink-settings=preferredColorScheme=${dark ? 0 : 1}`,
        ...flags,
        pathToFileURL(file).href,
      ],
      { encoding: 'utf8', timeout: 120_000 },
    );
    expect(status).toBe(0);
    expect(stderr).not.toMatch(/CONSOLE/);
    return stdout;
  }

  /** The place of the map in the picture, and what a script in the page returns. */
  function after<T>(script: string, workload = 'device#ms (5 devices)', dark = false): T {
    const names = [workload, 'uuid v4', 'one hot row + even'];
    const page = pageOf(names)
      // Its own policy would forbid the script.
      .replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, '')
      .replace('</body>', () => `<script>${helpers}${script}</script></body>`);
    const encoded = /id="report">([^<]*)</.exec(run(page, dark, '--dump-dom'))![1];
    return JSON.parse(decodeURIComponent(Buffer.from(encoded, 'base64').toString())) as T;
  }

  const helpers = `
    const canvas = document.querySelector('.picture');
    const { plot } = heatMap.picture;
    // Events that no pointer has made cannot be captured.
    canvas.setPointerCapture = () => undefined;
    const key = (name, target = canvas, shiftKey = false) =>
      target.dispatchEvent(new KeyboardEvent('keydown', { key: name, shiftKey, bubbles: true, cancelable: true }));
    const pointer = (type, x, y) => {
      const { left, top } = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new PointerEvent(type, {
        clientX: left + plot.x + x * plot.width, clientY: top + plot.y + y * plot.height }));
    };
    const text = (selector) => document.querySelector(selector)?.textContent;
    const tab = () => document.querySelector('[aria-selected=true]').firstChild.textContent;
    const report = (value) => {
      const made = Object.assign(document.createElement('pre'), { id: 'report' });
      made.textContent = btoa(encodeURIComponent(JSON.stringify(value)));
      document.body.append(made);
    };
  `;

  const brightness = ([red, green, blue]: readonly number[]): number => red + green + blue;

  /** A screenshot, and the colour at a place of the map in shares of its width and height. */
  function screenshot(workload: string, dark: boolean): { pixels: Pixels; at: Place } {
    const place = `const box = canvas.getBoundingClientRect();
      report({ x: box.left + plot.x, y: box.top + plot.y, width: plot.width, height: plot.height });`;
    const box = after<{ x: number; y: number; width: number; height: number }>(place, workload);
    const file = join(folder, 'page.png');
    run(pageOf([workload, 'uuid v4', 'one hot row + even']), dark, `--screenshot=${file}`);
    const pixels = decodePng(readFileSync(file));
    const at = (x: number, y: number): readonly number[] =>
      pixels.at(Math.round(box.x + x * box.width), Math.round(box.y + y * box.height));
    return { pixels, at };
  }
  type Place = (x: number, y: number) => readonly number[];

  test.each([
    ['light', false],
    ['dark', true],
  ])('times first are a diagonal (%s)', (_theme, dark) => {
    const { pixels, at } = screenshot('ms#device', dark);
    const page = brightness(pixels.at(5, 5));
    if (dark) expect(page).toBeLessThan(100);
    else expect(page).toBeGreaterThan(700);
    for (const place of [0.117, 0.317, 0.517, 0.717, 0.917]) {
      const contrast = (y: number): number =>
        Math.abs(brightness(at(place, y)) - brightness(at(0.99, 0.01)));
      expect(contrast(place)).toBeGreaterThan(300);
      expect(contrast((place + 0.3) % 1)).toBeLessThan(20);
    }
  });

  test('devices first fill the map', () => {
    const { at } = screenshot('device#ms (1000 devices)', false);
    let filled = 0;
    for (let x = 0; x < 30; x++)
      for (let y = 0; y < 30; y++)
        if (brightness(at((x + 0.5) / 30, (y + 0.5) / 30)) < 740) filled++;
    // 63 % of the ranges have writes, and a pixel stands for 1.9 of them.
    expect(filled / 900).toBeGreaterThan(0.78);
    expect(filled / 900).toBeLessThan(0.93);
  });

  test('a hot row is a line of several pixels', () => {
    const { at } = screenshot('one hot row + even', false);
    const shades = Array.from({ length: 540 }, (_, y) => brightness(at(0.51, (y + 0.5) / 540)));
    expect(shades.filter((shade) => shade < 120).length).toBeGreaterThanOrEqual(4);
  });

  test('the keyboard moves the cell, zooms, and changes metric, brightness and colours', () => {
    const script = `
      key('ArrowRight'); key('ArrowRight', canvas, true); key('ArrowDown'); key('m'); key('m'); key('T');
      const full = text('.legend'); key(']'); key(']');
      const first = { readout: text('#readout'), metric: heatMap.state.metric,
        theme: document.documentElement.dataset.theme, full, brighter: text('.legend') };
      key('+'); const zoomed = canvas.dataset.view; key('0'); key('Escape');
      report({ ...first, zoomed, view: canvas.dataset.view, empty: text('#readout') });`;
    const found = after<Record<string, string>>(script);
    expect(found).toMatchObject({
      metric: 'writes',
      theme: 'dark',
      view: '0,30,0,1000',
      empty: '',
    });
    expect(found.readout).toMatch(
      /^2026-01-05 00:11 UTC · DeviceFirst: device=device-00000, at=2026-01-05T00:00:.* · to device=/,
    );
    expect(found.readout).toMatch(/all times: 30 operations; all keys: 1,000 operations$/);
    expect([found.full, found.brighter]).toEqual([
      expect.stringMatching(/1\s*50 or more$/),
      expect.stringMatching(/1\s*13 or more$/),
    ]);
    const [from, to, first, last] = found.zoomed.split(',').map(Number);
    expect([to - from, last - first]).toEqual([expect.closeTo(15, -1), expect.closeTo(500, -2)]);
  });

  test('tabs, findings and help are reached by the keyboard', () => {
    const script = `
      const steps = [];
      const note = () => steps.push([tab(), heatMap.state.finding?.level ?? '', document.activeElement.className]);
      document.querySelector('[aria-selected=true]').focus();
      key('ArrowRight', document.activeElement); note();
      key('End', document.activeElement); note();
      key('n'); note();
      key('1'); note();
      key('n'); note();
      key('?');
      const isOpen = document.querySelector('dialog').open;
      document.querySelector('dialog').close();
      const button = document.querySelector('details[open] .finding');
      document.querySelector('details[open] summary').focus();
      key('ArrowDown', document.activeElement);
      const focused = document.activeElement === button;
      button.click();
      const off = [button.getAttribute('aria-pressed')];
      button.click();
      report({ steps, isOpen, focused, pressed: [...off, button.getAttribute('aria-pressed')],
        open: [...document.querySelectorAll('details')].map(({ open }) => open) });`;
    expect(after(script)).toEqual({
      steps: [
        ['uuid v4', '', ''],
        ['one hot row + even', '', ''],
        ['one hot row + even', 'error', ''],
        ['device#ms (5 devices)', '', ''],
        ['device#ms (5 devices)', 'warning', ''],
      ],
      isOpen: true,
      focused: true,
      pressed: ['false', 'true'],
      // Only the shown design's findings are visible.
      open: [true, false, false],
    });
  });

  test('the pointer reads cells, zooms by dragging, and shows a group of keys', () => {
    const script = `
      pointer('pointermove', 0.015, 0.4035);
      const tip = text('.tip');
      const drag = (from, to) => {
        heatMap.showAll();
        pointer('pointerdown', ...from); pointer('pointermove', ...to); pointer('pointerup', ...to);
        return canvas.dataset.view;
      };
      const dragged = [drag([0.101, 0.101], [0.299, 0.4985]), drag([0.101, -0.1], [0.299, -0.1]),
        drag([-0.1, 0.101], [-0.1, 0.4985])];
      heatMap.showAll();
      for (const type of ['pointerdown', 'pointerup']) pointer(type, -0.3, 0.5);
      report({ tip, dragged, group: canvas.dataset.view });`;
    const { tip, dragged, group } = after<{ tip: string; dragged: string[]; group: string }>(
      script,
    );
    // The first minute of the third device.
    expect(tip).toMatch(
      /^2026-01-05 00:00 UTC\nDeviceFirst: device=device-00002, at=2026-01-05T00:00/,
    );
    expect(tip).toMatch(/\d+ operations, 0 reads, \d+ writes, 1\.0 KiB\n/);
    expect(dragged).toEqual(['3,9,101,499', '3,9,0,1000', '0,30,101,499']);
    const [, , first, last] = group.split(',').map(Number);
    expect([first, last]).toEqual([expect.closeTo(400, -2), expect.closeTo(600, -2)]);
  });
});
