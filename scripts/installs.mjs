/**
 * The matrix of installs: small programs of users, each with the packed package installed by npm,
 * type checked, built and tested. `npm run test:installs` runs all of test/installs/cases, `-- --ci`
 * one of each kind, `-- NAME...` some. `--list` prints their names, `--json` the results as JSON.
 * They are installed into .tmp/installs, which is kept: only what has changed is installed again.
 * What cannot be installed is reported as SKIPPED, and as a failure if CI_REQUIRE_INSTALLS=1.
 *
 * For tests of this script: `--cases DIRECTORY` runs other programs, `--into DIRECTORY` installs them
 * there, and `--tarball FILE` installs this package.
 */
import { resolve, join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readCases, selectCases } from './installs/cases.mjs';
import { installer } from './installs/install.mjs';
import { packedPackage } from './installs/packed-package.mjs';
import { Report } from './installs/report.mjs';
import { runCase } from './installs/run-case.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ci: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    cases: { type: 'string', default: join(root, 'test/installs/cases') },
    into: { type: 'string', default: join(root, '.tmp/installs') },
    tarball: { type: 'string' },
  },
});

const all = readCases(resolve(values.cases));
const cases = selectCases(all, positionals, values.ci);
if (values.list) {
  for (const { name, title, ci } of cases)
    console.log(`${name.padEnd(24)} ${ci ? 'ci ' : '   '} ${title}`);
} else {
  process.exitCode = await main();
}

async function main() {
  const into = resolve(values.into);
  const report = new Report(cases, values.json, process.env.CI_REQUIRE_INSTALLS === '1');
  report.progress(`${cases.length} programs, installed into ${into}`);
  const tarball = await packedPackage(root, into, values.tarball, report);
  if (tarball === undefined) return report.end();
  const install = installer(into, all, tarball, report);
  // Two at a time, for two cores: installing waits for the network and the disk. The largest first.
  const waiting = [...cases].sort((a, b) => b.weight - a.weight);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      report.add(await runCase(next, install));
  };
  await Promise.all([work(), work()]);
  return report.end();
}
