/** scope.deleteAll() that the storage has stopped, at one write after the other, is finished by the next call. */
import { expectFinished } from './stopped-deletion.js';

test.each([false, true])('applied %s', (applied) => expectFinished(3, applied));
