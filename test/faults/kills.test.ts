import { testLanes } from './test-lane.ts';

await testLanes('workers', 'posts');
