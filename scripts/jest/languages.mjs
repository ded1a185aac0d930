/** Tests with programs in other languages: `npm run test:languages`, a section of .ci/run. */
import { itemsOf, parsePart } from '../parts.mjs';
import config, { suite } from '../../jest.config.mjs';

const root = new URL('../..', import.meta.url).pathname;

/** Suites of many entities and declarations, which take turns: with LANGUAGES_PART one list runs. */
const turns = [
  ['shared-file'],
  ['value-alone'],
  ['go-evolution', 'java-evolution'],
  ['python-evolution', 'random-rows'],
];

const { LANGUAGES_PART } = process.env;
const chosen = LANGUAGES_PART === undefined ? turns : itemsOf(turns, parsePart(LANGUAGES_PART));
const left = turns.filter((each) => !chosen.includes(each)).flat();
const languages = suite('languages', ['**/*.languages.test.ts']);
const ignored = left.map((name) => `/test/languages/${name}\\.languages\\.test\\.ts$`);

export default {
  ...config,
  rootDir: root,
  projects: [
    {
      ...languages,
      rootDir: root,
      testPathIgnorePatterns: [...languages.testPathIgnorePatterns, ...ignored],
    },
  ],
};
