/**
 * Sections with the functions of CI: what they print, and when they fail. All run at the same time.
 * suites.test.ts has those with test suites.
 */
import { type Outcome, runSections } from './run-sections.js';

/** CI runs on Unix. */
const onUnix = process.platform === 'win32' ? describe.skip : describe;

// A busy machine starts a process seconds late: the windows are wide.
const halves = 'section one 60 sleep 1.2; section two 60 sleep 1.2; whole';
const lines = {
  quick: 'section quick 60 echo hello; cat "$logs/quick"',
  slow: 'section slow 5 sleep 6.2; section next 60 true',
  stuck: "section stuck 1 bash -c 'echo begun; sleep 60'",
  wrong: 'section wrong 60 false; section right 60 true',
  together: "together 5 one='sleep 6.2; echo slow' two='echo quick' three='exit 3'",
  short: `${halves} 1`,
  long: `${halves} 60`,
  busy: 'section slow 1 sleep 2.5',
};

onUnix('a section', () => {
  let outcomes: Readonly<Record<keyof typeof lines, Outcome>>;
  beforeAll(async () => {
    const runs = Object.entries(lines).map(async ([name, text]) => {
      const env = name === 'busy' ? { CI_SLOWNESS: '60' } : {};
      return [name, await runSections(text, env)] as const;
    });
    outcomes = Object.fromEntries(await Promise.all(runs)) as typeof outcomes;
  });
  function outcome(name: keyof typeof lines): Outcome {
    expect(outcomes[name].errors).toBe('');
    return outcomes[name];
  }

  test('passes within its budget, with its output kept', () => {
    const { output, failed } = outcome('quick');
    expect(output).toMatch(/^=== quick\nhello\n=== quick: ok after \d+ s\n\nhello\nok +quick/);
    expect(failed).toBe(false);
  });

  test('that exceeds its budget fails, and the others run', () => {
    const { output, failed } = outcome('slow');
    expect(output).toMatch(/=== slow: SLOW after [6-9] s, more than its budget of 5 s/);
    expect(output).toMatch(/^SLOW +slow .*\nok +next/m);
    expect(failed).toBe(true);
  });

  test('that hangs is ended', () => {
    const { output, failed } = outcome('stuck');
    expect(output).toMatch(/begun\n=== stuck: HUNG after \d+ s, ended by CI/);
    expect(failed).toBe(true);
  });

  test('that fails is reported as such', () => {
    const { output, failed } = outcome('wrong');
    expect(output).toMatch(/^FAILED wrong .*\nok +right/m);
    expect(failed).toBe(true);
  });

  test('has a budget and a time of its own if it runs together with others', () => {
    const { output, failed } = outcome('together');
    expect(output).toMatch(/=== one\nslow\n=== one: SLOW after [6-9] s/);
    expect(output).toMatch(/=== two\nquick\n=== two: ok after \d s/);
    expect(output).toMatch(/=== three\n=== three: FAILED after \d s/);
    expect(failed).toBe(true);
  });

  test('may take as long as the whole leaves', () => {
    const short = outcome('short');
    expect(short.output).toMatch(/^ok +one .*\nok +two .*\nSLOW +whole +\d+ s of +1 s$/m);
    expect(short.failed).toBe(true);
    const long = outcome('long');
    expect(long.output).toMatch(/^ok +whole /m);
    expect(long.failed).toBe(false);
  });

  test('can have a larger budget on a busy machine', () => {
    const { output, failed } = outcome('busy');
    expect(output).toMatch(/^ok +slow +\d+ s of +60 s$/m);
    expect(failed).toBe(false);
  });
});
