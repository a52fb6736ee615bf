// Random waits of main last a fiftieth of what they may: a journey that meets many of them need not wait for each.
Math.random = () => 0.02;
