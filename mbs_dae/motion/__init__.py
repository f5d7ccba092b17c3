"""Motions over time: derivatives, steps, their control, stabilisation and record, and where a run begins.

The way of an impact, from a verb to the impulse and back:

    verbs.simulate          prepares a run and takes it from pause to pause
    run.go_on               the loop: propose a step, make it, `judge` its end, and `_switch` what passes zero there
    switching.locate        `search_step`: a switching function passes zero in the step; the step is made to end there
    switching.step_samples  evaluates switching functions inside a step, by `switches.look`
    contact.gaps            `put_gap`: the gap of an open point as a switching function; `meets`: one passes zero
    switching.choosing      `switch_over`: an impact, or a change of branches and contact states
    contact.impacts         `strike`: the impulses of all points that touch, velocities behind them, a row of the log
    contact.delassus        the Delassus matrix W between the rows in use, by the factor of [M Φ_vᵀ; Φ_v 0]
    contact.problem         the laws of contact for these rows, solved by `linear.complementarity`
    switching.surfaces      what holds behind it: branches, and contact states by `contact.states`; y' there
    contact.reports         `impacts_of`: ``result.impacts`` from the rows of the log, with the impulses of joints

The fields of contacts that these functions read and write are declared in `compiled.contact_records`. Some functions
are compiled only for models with contacts and are called by address: `SearchCalls` and `ContactCalls` have a field of
the same name for each of them.
"""
