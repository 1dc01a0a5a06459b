// Commands that leave processes behind in six ways.
export const marked = {
	child: "run sleep 300",
	setsid: "run setsid sleep 300 & sleep 300",
	"double fork": "run (setsid sh -c 'sleep 300 & sleep 300' &) ; sleep 300",
	"deaf to TERM": "run trap '' TERM INT; sleep 300 & trap '' TERM INT; while true; do sleep 1; done",
	"fork storm": "run for i in 1 2 3 4 5 6 7 8; do sh -c 'while true; do sleep 0.01 & wait; done' & done; wait",
};
/** The last one has left its parents, its session and its environment: only the kernel still knows whose it is. */
export const shapes = { ...marked, "process without a trace": "run (env -i setsid sleep 300 &) ; sleep 300" };
