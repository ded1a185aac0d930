/** Tests with programs in other languages: `npm run test:languages`, a section of .ci/run. */
import config, { suite } from '../../jest.config.mjs';

const root = new URL('../..', import.meta.url).pathname;

export default {
  ...config,
  rootDir: root,
  projects: [{ ...suite('languages', ['**/*.languages.test.ts']), rootDir: root }],
};
