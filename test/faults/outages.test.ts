import { testLanes } from './test-lane.ts';

await testLanes('outage', 'stores', 'model');
