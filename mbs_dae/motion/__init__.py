"""Motions over time: derivatives, steps, their control, stabilisation and record, and where a run begins.

The way of an impact, from a verb to the impulse and back:

    verbs.simulate          prepares a run and takes it from pause to pause
    run.go_on               the loop: propose a step, make it, `judge` its end
    switching.locate        looks for a switching function that passes zero in the step, and makes the step end there
    switching.looks         evaluates switching functions inside a step
    contact.gaps            the gap of an open point as a switching function; `meets`: an open gap passes zero
    switching.choosing      `switch_over`: an impact, or a change of branches and contact states
    contact.impacts         `strike`: the impulses of all points that touch, velocities behind them
    contact.delassus        W = G M⁻¹ Gᵀ between the rows in use
    contact.problem         the laws of contact for these rows, solved by `linear.complementarity`
    switching.settling      what holds behind it: branches, and contact states by `contact.states`
    run._switch             y' behind it; then the loop goes on
"""
