import { testLane } from './test-lane.ts';

await testLane('wait');
