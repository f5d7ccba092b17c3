"""Motions over time: derivatives, steps, their control, stabilisation and record, and where a run begins.

The way of an impact, from a verb to the impulse and back:

    verbs.simulate          prepares a run (`run.start`) and takes it from pause to pause
    run.go_on               the loop: propose a step, make it, `judge` its end, and `_switch` what passes zero there
    switching.locate        `search_step` samples the switching functions in the step (`first_wrong`); the step is made
                            again to end where one passes zero
    contact.gaps            `put_gap`: the gap of an open point as a switching function; `meets`: one passes zero
    compiled.contact_rows   `observe_contacts`: gaps and their rates G v - ν, by the program of the model; `put_rows`: G
    switching.choosing      `switch_over`: an impact, or a change of branches and contact states
    contact.impacts         `strike`: the impulses of all points that touch, velocities behind them, a row of the log
    contact.constrained     `find_constrained` puts the rows G of the points that touch, and leaves out those along
                            which joints let nothing move
    contact.problem         the Delassus matrix W between these rows, by the factor of [M Φ_vᵀ; Φ_v 0], and the laws
    linear.complementarity  solves the laws: sweeps and Newton's method; `put_solution` writes the impulses
    contact.reports         `impacts_of`: ``result.impacts`` from the rows of the log, with the impulses of joints

and the records that these functions read and write: `compiled.contact_records`, `switching.search`. They also call

    switching.wide          ends most searches early: no gap closes in a step if each is wider than anything goes in it
    switching.switches      `look` evaluates all switching functions, for contacts by `guards.look_at_contacts`, and
                            this by `gaps.put_gap`
    switching.surfaces      `settle`, what holds behind the impact: branches of laws, and y' there
    contact.states          `choose_states`: which points are open, closed, slip or stick there
    contact.digits, .sizes  residuals with twice the digits, and the sizes to which roundoff is compared

For one free ball these change nothing: `contact.following`, `corrections`, `digits`, `bounds`, `keeping` and
`switching.pieces`. The pages of `contact` and `switching` say what each file is for.

Some functions are compiled only for models with contacts and are called by address: `SearchCalls` and `ContactCalls`
have a field of the same name for each of them.
"""
