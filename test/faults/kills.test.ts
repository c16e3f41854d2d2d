import { testLane } from './test-lane.ts';

await testLane('cpu');
